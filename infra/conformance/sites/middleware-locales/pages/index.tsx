export const getServerSideProps = ({ locale }: { locale: string }) => ({ props: { locale } })

export default function Root({ locale }: { locale: string }) {
  return <main>root in {locale}</main>
}
