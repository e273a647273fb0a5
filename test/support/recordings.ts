// Small recordings of known length: silence, since only their structure is read.

/** PCM of 16 bits, one channel. */
export function wavOf(seconds: number, sampleRate = 16_000): Uint8Array<ArrayBuffer> {
  const data = Math.round(seconds * sampleRate) * 2;
  const bytes = Buffer.alloc(44 + data);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(36 + data, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRate, 24);
  bytes.writeUInt32LE(sampleRate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(data, 40);
  return new Uint8Array(bytes);
}

/** MPEG 1, layer 3, 128 kbit/s, 44.1 kHz: frames of 417 bytes and 1,152 samples. */
export function mp3Of(frames: number, before: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffb9064, 0);
  return new Uint8Array(Buffer.concat([before, ...Array.from({ length: frames }, () => frame)]));
}

export function flacOf(seconds: number, sampleRate: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  bytes.write('fLaC', 0, 'latin1');
  bytes.writeUInt32BE(34, 4);
  bytes.writeUIntBE(sampleRate << 4, 18, 3);
  bytes.writeUInt32BE(seconds * sampleRate, 22);
  return new Uint8Array(bytes);
}

/** Silence: frames of 4,096 samples, of which the file's head says nothing. */
export function silentFlacOf(frames: number, sampleRate: number): Uint8Array<ArrayBuffer> {
  const frame = Buffer.from([0xff, 0xf8, 0xc0, 0x18, 0, 0, 0, 0, 0, 0, 0]);
  frame.writeUInt8(checksumOf(frame.subarray(0, 5)), 5);
  return new Uint8Array(Buffer.concat([flacOf(0, sampleRate, 42), ...Array.from({ length: frames }, () => frame)]));
}

/** CRC-8 of the head of a frame. */
export function checksumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) sum = ((sum << 1) & 0xff) ^ ((sum >>> 7) ^ ((byte >>> bit) & 1) ? 0x07 : 0);
  }
  return sum;
}

export function opusOf(seconds: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  bytes.write('OggS', 0, 'latin1');
  bytes.write('OpusHead', 28, 'latin1');
  bytes.write('OggS', length - 100, 'latin1');
  bytes.writeBigUInt64LE(BigInt(seconds * 48_000), length - 94);
  return new Uint8Array(bytes);
}

export function m4aOf(seconds: number, length: number): Uint8Array<ArrayBuffer> {
  const box = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + content.length, 0);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, content]);
  };
  const head = Buffer.alloc(100);
  head.writeUInt32BE(1_000, 12);
  head.writeUInt32BE(seconds * 1_000, 16);
  const ftyp = box('ftyp', Buffer.from('M4A \0\0\0\0', 'latin1'));
  return new Uint8Array(
    Buffer.concat([ftyp, box('mdat', Buffer.alloc(length)), box('moov', box('mvhd', head)), Buffer.alloc(16)]),
  );
}
