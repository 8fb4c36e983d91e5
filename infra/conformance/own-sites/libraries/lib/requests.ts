let requests = 0

/** The number of this request: each response of the handler differs from the one before. */
export function countRequest(): number {
  requests += 1
  return requests
}
