// What Linux knows of one connection on this machine, asked for by its ports (sock_diag(7)): /proc/net/tcp has the same, but
// lists every connection of the machine, which takes milliseconds.

import { dlopen, FFIType, ptr } from 'bun:ffi';

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const NLMSG_ERROR = 2;
const AF_INET = 2;
const IPPROTO_TCP = 6;
const ANY = 0xffffffff;
const LOOPBACK = [127, 0, 0, 1];

const REQUEST_BYTES = 72;
const READ_QUEUE_AT = 72;
const ERROR_AT = 16;
const NO_SUCH_CONNECTION = -2;

/** Bytes that the socket on `port`, connected to `peer`, has received and nobody has read; undefined if nobody tells. */
export function unreadBytes(port: number, peer: number): number | undefined {
  kernel ??= open();
  return kernel.ask(port, peer);
}

interface Kernel {
  ask(port: number, peer: number): number | undefined;
}

let kernel: Kernel | undefined;

function open(): Kernel {
  try {
    return connect();
  } catch {
    return { ask: () => undefined };
  }
}

function connect(): Kernel {
  const { i32, ptr: pointer, u64, i64 } = FFIType;
  const { symbols: libc } = dlopen('libc.so.6', {
    socket: { args: [i32, i32, i32], returns: i32 },
    send: { args: [i32, pointer, u64, i32], returns: i64 },
    recv: { args: [i32, pointer, u64, i32], returns: i64 },
  });
  const fd = libc.socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
  const request = new DataView(new ArrayBuffer(REQUEST_BYTES));
  const answer = new DataView(new ArrayBuffer(4_096));
  request.setUint32(0, REQUEST_BYTES, true);
  request.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  request.setUint16(6, NLM_F_REQUEST, true);
  request.setUint8(16, AF_INET);
  request.setUint8(17, IPPROTO_TCP);
  request.setUint32(20, ANY, true);
  for (const [index, byte] of LOOPBACK.entries()) {
    request.setUint8(28 + index, byte);
    request.setUint8(44 + index, byte);
  }
  request.setUint32(64, ANY, true);
  request.setUint32(68, ANY, true);
  return {
    ask(port, peer) {
      request.setUint16(24, port);
      request.setUint16(26, peer);
      if (Number(libc.send(fd, ptr(request), REQUEST_BYTES, 0)) !== REQUEST_BYTES) return undefined;
      const received = Number(libc.recv(fd, ptr(answer), answer.byteLength, 0));
      if (received >= ERROR_AT + 4 && answer.getUint16(4, true) === NLMSG_ERROR) {
        return answer.getInt32(ERROR_AT, true) === NO_SUCH_CONNECTION ? 0 : undefined;
      }
      return received >= READ_QUEUE_AT + 4 ? answer.getUint32(READ_QUEUE_AT, true) : undefined;
    },
  };
}
