import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { text: 'loaded as a document' } })

export default function FailsAsData(props: object) {
  return (
    <main>
      <h1>Fails as data</h1>
      <State props={props} />
    </main>
  )
}
