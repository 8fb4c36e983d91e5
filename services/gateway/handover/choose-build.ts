// Which build responds to a request while a deploy replaces replicas (O12). Pure.

export interface Situation {
  /** The build of the gateway. */
  own: string
  /** Other builds whose rules the gateway has, the newest first. */
  others: readonly string[]
  /** The builds whose renderers respond now, and those whose actions do. */
  renderers: ReadonlySet<string>
  actions: ReadonlySet<string>
  /** Whether an actions replica responds to the request, too; a renderer is always needed, for the verdict and for pages. */
  needsActions: boolean
}

/**
 * The gateway's own build while that build can respond, else the newest one that can, whole: verdict, page, data and handler
 * are of one build. Where no build can, the own one: its requests wait for a replica, or are refused.
 */
export function chooseBuild({ own, others, renderers, actions, needsActions }: Situation): string {
  const canRespond = (build: string) => renderers.has(build) && (!needsActions || actions.has(build))
  if (canRespond(own)) return own
  return others.find(canRespond) ?? own
}
