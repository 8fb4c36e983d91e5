import { Links } from '../../components/links'
import { State } from '../../components/state'

interface Context {
  locale: string
  locales: string[]
  defaultLocale: string
  params: object
  query: object
}

export const getStaticPaths = async () => ({
  paths: [{ params: { name: 'day' } }, '/nl-NL/lines/night', { params: { name: 'dawn' }, locale: 'fr' }],
  fallback: false,
})

export const getStaticProps = async ({ locale, locales, defaultLocale, params }: Context) => ({
  props: { locale, locales, defaultLocale, params },
})

export default function Page(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
