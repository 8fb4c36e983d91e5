// Decides what responds to a request: the route, rewrites and the page, then middleware, then the service or the part of
// the gateway. Each step returns a Reply or leaves the request to the next one; nothing is written to a client, which
// send/ does, and no service is called but for the verdict of middleware.

export { createDispatcher, createRouteFinder } from './dispatch.ts'
export { type CarryOutDeps, createCarryOut } from './middleware/carry-out.ts'
export { createDecideWithPage } from './middleware/decide-with-page.ts'
export { createGuardStep } from './middleware/guard-step.ts'
export { createVerdicts, type Verdicts, type VerdictsDeps } from './middleware/verdicts.ts'
export { createRouteResolver, createTargetFinder, type RouteResolver, type TargetFinder } from './resolve-route.ts'
