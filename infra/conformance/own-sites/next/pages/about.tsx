import Head from 'next/head'
import Link from 'next/link'
import { type NextRouter, withRouter } from 'next/router'

function About({ router }: { router: NextRouter }) {
  return (
    <main>
      <Head>
        <title>About</title>
      </Head>
      <h1>About {router.pathname}</h1>
      <Link id="home" href="/">
        home
      </Link>
    </main>
  )
}

export default withRouter(About)
