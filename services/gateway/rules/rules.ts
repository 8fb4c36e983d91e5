// The rules of the site's configuration, as far as the gateway applies them: redirects, the facts for `has` conditions,
// and the names of rules for logs and `portico why`. The headers of rules are written by send/head.ts.

export { createRedirector, VARY_OF_ROOT } from './redirects.ts'
export { factsOf, nameRewrites, ruleName } from './rule-facts.ts'
