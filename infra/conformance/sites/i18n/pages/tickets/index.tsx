import { type Context, LinkedPage } from '../../components/linked-page'

export const getServerSideProps = async ({ locale, locales, defaultLocale, query }: Context) => ({
  props: { locale, locales, defaultLocale, query },
})

export default LinkedPage
