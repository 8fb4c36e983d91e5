// Keeps the bytes of a form until the form is known to call no action: then its page reads them (X7).

/** Bytes up to the limit; of a longer body nothing is kept, so that no upload is held in memory (A7). */
export function createKeptBody(limitBytes: number) {
  let chunks: Buffer[] = []
  let length = 0
  return {
    add(chunk: Buffer): void {
      length += chunk.length
      if (length > limitBytes) chunks = []
      else chunks.push(chunk)
    },
    /** Undefined for a body above the limit. */
    take(): Buffer | undefined {
      return length > limitBytes ? undefined : Buffer.concat(chunks)
    },
  }
}
