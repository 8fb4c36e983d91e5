import { type Context, LinkedPage } from '../../components/linked-page'

export const getServerSideProps = async ({ locale, locales, defaultLocale, params }: Context) => ({
  props: { locale, locales, defaultLocale, params },
})

export default LinkedPage
