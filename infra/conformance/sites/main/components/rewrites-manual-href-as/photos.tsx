import { Links } from '../links'
import { State } from '../state'

const at = '/rewrites-manual-href-as'

/** Links of each page: to a page, and to a page at the address of another one. */
export function Photos({ props }: { props?: unknown }) {
  return (
    <>
      <State props={props} />
      <Links
        to={{
          'first-as-photo': { href: `${at}?photo=7`, as: `${at}/photo/7` },
          photo: { href: `${at}/photo/7` },
          'other-photo': { href: `${at}/photo/8` },
          second: { href: `${at}/second` },
          hidden: { href: `${at}/hidden` },
          'first-as-hidden': { href: at, as: `${at}/hidden` },
          'photo-as-hidden': { href: { pathname: `${at}/photo/[photo]`, query: { photo: '8' } }, as: `${at}/hidden` },
          'news-as-blog': { href: { pathname: `${at}/news/[[...parts]]`, query: { parts: [] } }, as: `${at}/blog` },
        }}
      />
    </>
  )
}
