import { Links } from '../../components/links'
import { State } from '../../components/state'

const at = '/dynamic-routing'
const shelf = `${at}/[shelf]`
const book = `${at}/[shelf]/[book]`
const archive = `${at}/archive/by/date/[...path]`
const issues = `${at}/issues/of/any/[...path]`
const nested = `${at}/issues/of/nested/[...path]`

/** For each way to write an address. */
export default function Library() {
  return (
    <main>
      <h1>Library</h1>
      <State />
      <Links
        to={{
          as: { href: shelf, as: `${at}/maps` },
          plain: { href: `${at}/maps` },
          object: { href: { pathname: shelf, query: { shelf: 'maps' } } },
          'object-more': { href: { pathname: shelf, query: { shelf: 'maps', year: '1890' } } },
          'as-query': { href: `${shelf}?year=1890`, as: `${at}/maps?year=1890` },
          'query-hidden': { href: `${at}/maps?year=1890`, as: `${at}/maps` },
          'as-fragment': { href: shelf, as: `${at}/maps#labels` },
          'object-fragment': { href: { pathname: shelf, query: { shelf: 'maps' }, hash: 'labels' } },
          'plain-fragment': { href: `${at}/maps#labels` },
          loans: { href: `${at}/[shelf]/loans`, as: `${at}/maps/loans` },
          branch: { href: `${at}/branches/[town]/street/[number]`, as: `${at}/branches/hill/street/12` },
          'book-as': { href: book, as: `${at}/maps/alps` },
          'book-plain': { href: `${at}/maps/alps` },
          'book-object': { href: { pathname: book, query: { shelf: 'maps', book: 'alps' } } },
          'archive-one': { href: archive, as: `${at}/archive/by/date/1890` },
          'archive-two': { href: archive, as: `${at}/archive/by/date/1890/may` },
          'archive-encoded': { href: archive, as: `${at}/archive/by/date/1890%2F/ma%2Fy` },
          'archive-colon': { href: archive, as: `${at}/archive/by/date/:42` },
          'issues-one': { href: issues, as: `${at}/issues/of/any/1890` },
          'issues-one-object': { href: { pathname: issues, query: { path: ['1890'] } } },
          'issues-two': { href: issues, as: `${at}/issues/of/any/1890/may` },
          'issues-two-plain': { href: `${at}/issues/of/any/1890/may` },
          'issues-two-object': { href: { pathname: issues, query: { path: ['1890', 'may'] } } },
          'nested-one': { href: nested, as: `${at}/issues/of/nested/1890` },
          'nested-two': { href: nested, as: `${at}/issues/of/nested/1890/may` },
          'guide-fragment': { href: `${at}/guides/[guide]`, as: `${at}/guides/cellar#room-90` },
        }}
      />
    </main>
  )
}
