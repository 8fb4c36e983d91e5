import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { text: 'open' } })

export default function Open(props: object) {
  return (
    <main>
      <h1>Open</h1>
      <State props={props} />
    </main>
  )
}
