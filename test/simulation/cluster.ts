// The nodes of the simulated service and the way to them.

import { createMetrics } from '../../src/admin/metrics/metrics.ts';
import { applyDocument } from '../../src/catalog/publishing/apply-document.ts';
import { createSealer } from '../../src/kit/sealed.ts';
import { composeGateway, type Gateway } from '../../src/server/gateway.ts';
import { readSettings } from '../../src/server/settings/settings.ts';
import type { StartingStore } from '../../src/server/start/open-at-start.ts';
import type { Store } from '../../src/store/store.ts';
import { SimulatedDatabase } from './database.ts';
import { isRetiring, RETIRES_AFTER_MS, simulatedDocument } from './document.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { Machine } from './machine.ts';
import { openNodeStore } from './node-store.ts';
import { Receivers } from './receivers.ts';
import { Vendors } from './vendors.ts';
import type { World } from './world.ts';

export const PEPPER = 'simulated-pepper-0123456789abcdef';

const VARIABLES = { SECRETS_PEPPER: PEPPER, ADMIN_TOKEN: 'simulated-token-0123456789', PORT: '8787' };
const EMBEDDED = { ...readSettings(VARIABLES), configFile: undefined, follows: true };
const SETTINGS = {
  ...readSettings({ ...VARIABLES, DATABASE_URL: 'postgres://simulated@127.0.0.1/simulated' }),
  configFile: undefined,
  follows: true,
};

const NO_PORTS = {
  url: SETTINGS.ownUrl,
  port: SETTINGS.port,
  adminUrl: SETTINGS.ownUrl,
  closeIdle() {},
  finish: async () => {},
  close: async () => {},
};

export interface SimulatedNode {
  name: string;
  machine: Machine;
  gateway: Gateway;
}

export class Cluster {
  readonly database: SimulatedDatabase;
  readonly vendors: Vendors;
  readonly receivers: Receivers;
  /** When `second` retires by the newest document, in the time of the world. */
  retiresAt: number | undefined;
  /** By place; undefined while there is none. */
  readonly nodes: (SimulatedNode | undefined)[];
  /** Names of nodes that died, and could not finish what they had begun. */
  readonly crashed = new Set<string>();
  /** All lines that nodes have logged. */
  readonly log: string[] = [];
  /** Those that are alarms. */
  readonly alarms: string[] = [];
  /** One node, whose process has the database for itself. */
  readonly isEmbedded: boolean;
  readonly #world: World;
  #starts = 0;

  constructor(world: World, places: number, isEmbedded: boolean) {
    this.#world = world;
    this.isEmbedded = isEmbedded;
    this.database = new SimulatedDatabase(world.diceFor('disk'));
    this.vendors = new Vendors(world, (prompt) => this.database.openHolds.called(prompt));
    this.receivers = new Receivers(world);
    this.nodes = Array.from({ length: places }, () => undefined);
  }

  /** Applies the first document, before there is a node. */
  async prepare(): Promise<void> {
    const machine = new Machine(this.#world, this.#world.diceFor('preparation'), 0);
    const store = openNodeStore(this.#world, machine, this.database, 'preparation', this.#world.diceFor('no loss'));
    await this.apply({ ...machine, clock: machine.clock, store });
  }

  async apply(
    { clock, random, store }: Pick<Machine, 'clock' | 'random'> & { store: Store },
    edition = 0,
  ): Promise<void> {
    const retiresAt = isRetiring(edition) ? this.#world.now + RETIRES_AFTER_MS : undefined;
    const moment = retiresAt === undefined ? undefined : this.#world.wall() + RETIRES_AFTER_MS;
    const text = JSON.stringify(simulatedDocument(edition, moment));
    const applied = await applyDocument({ store, clock, sealer: createSealer(PEPPER, random) }, text, 'file', 'server');
    if (!applied.ok) throw new Error(`the document is refused: ${JSON.stringify(applied.faults)}`);
    this.retiresAt = retiresAt;
  }

  /** Rejects if the database does not answer meanwhile. */
  async start(place: number, wallOffset = 0): Promise<SimulatedNode> {
    const name = `node-${place}-${this.#starts++}`;
    const machine = new Machine(this.#world, this.#world.diceFor(name), wallOffset);
    const { clock, random } = machine;
    const store = this.#openStore(machine, name);
    const gateway = await composeGateway(
      this.isEmbedded ? EMBEDDED : SETTINGS,
      {
        fetch: this.vendors.fetchFrom(machine),
        connect: async () => true,
        simulated: {
          host: `host-${place}`,
          openPorts: () => NO_PORTS,
          postWebhook: this.receivers.postFrom(machine),
        },
        writeLog: (line) => this.#keepLine(line),
      },
      { clock, random, metrics: createMetrics(), fileBefore: undefined, starting: opened(store) },
    );
    const node = { name, machine, gateway };
    if (!machine.isDead) this.nodes[place] = node;
    return node;
  }

  #keepLine(line: string): void {
    this.log.push(line);
    if (line.includes('"level":"alarm"')) this.alarms.push(line);
  }

  #openStore(machine: Machine, name: string): Store {
    const dice = this.#world.diceFor(`${name} database`);
    const store = this.isEmbedded
      ? openEmbeddedStore(this.#world, machine, this.database, dice)
      : openNodeStore(this.#world, machine, this.database, name, dice);
    return {
      ...store,
      commit: (operation, input) => {
        if (operation === 'admit' && 'requestId' in input) this.database.openHolds.asked(input.requestId, name);
        return store.commit(operation, input);
      },
    };
  }

  alive(): SimulatedNode[] {
    return this.nodes.filter((node) => node !== undefined);
  }
}

function opened(store: Store): StartingStore {
  return {
    store,
    pepper: PEPPER,
    away: undefined,
    opened: async () => store,
    newest: () => store,
    give() {},
    reopen() {},
    endWait() {},
    abandon() {},
  };
}
