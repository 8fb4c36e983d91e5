// For how long a replica that stops serves a gateway that has no other one of its build (O12). Pure.

/** Before the deadline: the rest is for requests that run. */
const FINISHING_MS = 5000
/** The gateway learns of the end by a probe, of which there are two a second, before a connection is refused. */
const ANNOUNCED_MS = 1500

/** When the replica ends to serve, counted from SIGTERM, and for how long it then announces the end. */
export function reliedUntil({ delayMs, deadlineMs }: { delayMs: number; deadlineMs: number }) {
  const finishingMs = Math.min(FINISHING_MS, (deadlineMs - delayMs) / 2)
  return { endMs: deadlineMs - finishingMs, announcedMs: Math.min(ANNOUNCED_MS, finishingMs / 2) }
}
