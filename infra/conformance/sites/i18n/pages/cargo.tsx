import type { NextPageContext } from 'next'
import { State } from '../components/state'

export default function Page(props: object) {
  return <State props={props} />
}

/** After a navigation it runs in the browser. */
Page.getInitialProps = ({ locale, locales, defaultLocale, asPath }: NextPageContext) => ({
  locale,
  locales,
  defaultLocale,
  asPath,
  by: typeof window === 'undefined' ? 'server' : 'browser',
})
