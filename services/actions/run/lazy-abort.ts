// Creates an AbortController at the first access to its signal. Most requests end without such an access, and a
// controller with its listeners and events costs as much as parsing the request.

export function createLazyAbort() {
  let controller: AbortController | undefined
  let ended: { reason: unknown } | undefined
  return {
    get signal(): AbortSignal {
      if (!controller) {
        controller = new AbortController()
        if (ended) controller.abort(ended.reason)
      }
      return controller.signal
    },
    abort(reason: unknown): void {
      ended ??= { reason }
      controller?.abort(ended.reason)
    },
  }
}
