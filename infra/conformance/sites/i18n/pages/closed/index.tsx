import { Links } from '../../components/links'
import { State } from '../../components/state'

interface Context {
  locale: string
  locales: string[]
  defaultLocale: string
  params: object
  query: object
}

export const getStaticProps = async ({ locale }: Context) =>
  locale === 'en' || locale === 'nl' ? { notFound: true } : { props: { locale } }

export default function Page(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
