import { Links } from '../../components/links'
import { State } from '../../components/state'

interface Context {
  locale: string
  locales: string[]
  defaultLocale: string
  params: object
  query: object
}

export const getStaticPaths = async ({ locales }: Context) => ({
  paths: locales.map((locale) => ({ params: { name: 'noon' }, locale })),
  fallback: true,
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
