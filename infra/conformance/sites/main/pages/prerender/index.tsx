import { Links } from '../../components/links'
import { dataOf } from '../../components/prerender/data'
import { State } from '../../components/state'

const at = '/prerender'

export const getStaticProps = () => ({ props: { place: 'tower', ...dataOf(undefined) }, revalidate: 2 })

export default function Observatory(props: { place: string }) {
  return (
    <main>
      <h1>The {props.place}</h1>
      <State props={props} />
      <Links
        to={{
          dome: { href: `${at}/dome?open=yes`, as: `${at}/dome?open=yes` },
          still: { href: `${at}/still` },
          plain: { href: `${at}/plain` },
          star: { href: `${at}/stars/[star]`, as: `${at}/stars/star-1` },
          dark: { href: `${at}/stars/[star]`, as: `${at}/stars/dark` },
          moon: { href: `${at}/stars/[star]/[moon]`, as: `${at}/stars/star-1/moon-1` },
          orbit: { href: `${at}/orbits/[...path]`, as: `${at}/orbits/inner` },
          'maybe-none': { href: `${at}/maybe/[[...path]]`, as: `${at}/maybe` },
          'maybe-one': { href: `${at}/maybe/[[...path]]`, as: `${at}/maybe/one` },
          'bracket-object': { href: `${at}/brackets/[slug]`, as: `${at}/brackets/[object]` },
          'bracket-string': { href: `${at}/brackets/[slug]`, as: `${at}/brackets/[string]` },
          'brackets-string': { href: `${at}/named/[...path]`, as: `${at}/named/[string]/[two]` },
          'brackets-object': { href: `${at}/named/[...path]`, as: `${at}/named/[object]/[two]` },
          date: { href: `${at}/dates/[day]`, as: `${at}/dates/one` },
          about: { href: `${at}/lang/[lang]/about?lang=en`, as: `${at}/about` },
        }}
      />
    </main>
  )
}
