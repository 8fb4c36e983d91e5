import { State } from '../components/state'

export const getStaticProps = async ({ locale }: { locale: string }) => ({ props: { locale, isMissing: true } })

export default function Missing(props: object) {
  return (
    <>
      <h1>No such pier</h1>
      <State props={props} />
    </>
  )
}
