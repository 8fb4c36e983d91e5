import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { drawn: Math.random() } })

export default function Shallow(props: object) {
  return (
    <main>
      <h1>Shallow</h1>
      <State props={props} />
    </main>
  )
}
