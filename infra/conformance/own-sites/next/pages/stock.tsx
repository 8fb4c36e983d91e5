import type { NextPage, NextPageContext } from 'next'
import Link from 'next/link'
import type { WithRouterProps } from 'next/router'
import { withRouter } from 'next/router'

interface StockProps {
  from: string
  path: string
}

const Stock: NextPage<StockProps> = ({ from, path }) => (
  <main>
    <h1>Stock</h1>
    <p id="from">{`${from} ${path}`}</p>
    <Link id="next-shelf" href="/stock?shelf=2#top">
      shelf 2
    </Link>
    <Link id="broken-shelf" href="/stock?shelf=broken">
      broken shelf
    </Link>
    <Link id="home" href="/">
      home
    </Link>
  </main>
)

Stock.getInitialProps = async ({ req, query, asPath = '' }: NextPageContext) => {
  if (query.shelf === 'broken') throw new Error('the shelf is broken')
  return { from: req ? `server for ${req.method}` : 'browser', path: asPath }
}

export default withRouter(Stock as NextPage<StockProps & WithRouterProps>)
