import type { AppContext } from 'next/app'
import App from 'next/app'
import { Fence } from '../components/fence'
import { renderTree } from '../lib/render-tree'
import { setSeason } from '../lib/season'

setSeason(typeof window === 'undefined' ? 'sown' : 'grown')

export default class Garden extends App<{ motto?: string; tree?: string }> {
  static override async getInitialProps(context: AppContext) {
    const { ctx, AppTree } = context
    const props = await App.getInitialProps(context)
    if (ctx.pathname.startsWith('/gssp-page-props-merge'))
      Object.assign(props.pageProps, { soil: 'of the app', water: 'of the app' })
    const isTree = /^\/app-tree(\/second)?$/.test(ctx.pathname)
    return { ...props, motto: 'Water at dawn', ...(isTree && { tree: await renderTree(<AppTree {...props} />) }) }
  }

  override render() {
    const { Component, pageProps, motto, tree } = this.props
    return (
      <Fence>
        <Component {...pageProps} motto={motto} tree={tree} />
      </Fence>
    )
  }
}
