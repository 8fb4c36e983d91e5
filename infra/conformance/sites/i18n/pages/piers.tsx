import { type Context, LinkedPage } from '../components/linked-page'

export const getServerSideProps = async ({ locale, locales, defaultLocale }: Context) => ({
  props: { locale, locales, defaultLocale },
})

export default LinkedPage
