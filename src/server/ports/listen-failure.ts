// Explains in one line why a port cannot be opened: the address, the reason, and the variable to change.
import { isIP } from 'node:net';

export interface ListenPlace {
  host: string;
  port: number;
  /** Sets the port. HOST sets the host of PORT; ADMIN_PORT is always on loopback. */
  variable: 'PORT' | 'ADMIN_PORT';
}

/** The process or the machine has no sockets left, whatever the host. */
const OUT_OF_RESOURCES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** EAFNOSUPPORT: an IPv6 address on a machine without IPv6. */
const NOT_A_LOCAL_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOENT']);

export function describeListenFailure(place: ListenPlace, code = 'unknown error'): string {
  return `cannot listen on ${inUrl(place.host)}:${place.port}: ${reasonAndRemedy(place, code)}`;
}

function reasonAndRemedy({ host, variable }: ListenPlace, code: string): string {
  if (code === 'EADDRINUSE') return `the port is in use; set ${variable} to another one`;
  if (code === 'EACCES') return `no permission for this port; set ${variable} to 1024 or above`;
  if (variable === 'ADMIN_PORT') return `${code}; the port is set by ADMIN_PORT`;
  if (OUT_OF_RESOURCES.has(code)) return `${code}; the address is set by HOST and the port by PORT`;
  // Bun reports the resolver's last errno: ENOENT, EAGAIN or EINVAL for the same unknown name.
  if (isIP(bare(host)) === 0) {
    return `the name has no address on this machine (${code}); set HOST to an address that it has, or to 0.0.0.0`;
  }
  if (NOT_A_LOCAL_ADDRESS.has(code)) {
    return 'this machine does not have that address; set HOST to one that it has, or to 0.0.0.0';
  }
  return `the address cannot be used (${code}); set HOST to another one, or to 0.0.0.0`;
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

const inUrl = (host: string) => (isIP(bare(host)) === 6 ? `[${bare(host)}]` : host);
