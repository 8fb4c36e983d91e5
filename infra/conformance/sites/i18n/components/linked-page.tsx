import { Links } from './links'
import { State } from './state'

/** What data functions of the pages read. */
export interface Context {
  locale: string
  locales: string[]
  defaultLocale: string
  params: object
  query: object
}

/** A page that shows its props and has the links of all suites. */
export function LinkedPage(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
