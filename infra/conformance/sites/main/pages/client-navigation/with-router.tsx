import type { NextRouter } from 'next/router'
import { withRouter } from 'next/router'

const To = withRouter(({ router, href }: { router: NextRouter; href: string }) => (
  <p>
    <span id="route">{router.pathname}</span>
    <span id="address">{router.asPath}</span>
    <button id="go" type="button" onClick={() => void router.push(href)}>
      go
    </button>
  </p>
))

export default function WithRouter() {
  return <To href="/client-navigation/pier" />
}
