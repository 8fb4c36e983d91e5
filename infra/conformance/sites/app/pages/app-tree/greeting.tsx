import type { NextPageContext } from 'next'
import { renderTree } from '../../lib/render-tree'

export default function Greeting({ word, kept }: { word?: string; kept?: string }) {
  return kept === undefined ? <p>Leaves of {word}</p> : <pre id="kept">{kept}</pre>
}

Greeting.getInitialProps = async ({ AppTree }: NextPageContext) => ({
  kept: await renderTree(<AppTree pageProps={{ word: 'clover' }} />),
})
