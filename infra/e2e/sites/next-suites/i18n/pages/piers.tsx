import { Links } from '../components/links'
import { State } from '../components/state'

interface Context {
  locale: string
  locales: string[]
  defaultLocale: string
  params: object
  query: object
}

export const getServerSideProps = async ({ locale, locales, defaultLocale }: Context) => ({
  props: { locale, locales, defaultLocale },
})

export default function Page(props: object) {
  return (
    <>
      <State props={props} />
      <Links />
    </>
  )
}
