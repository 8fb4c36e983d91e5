import { State } from '../../components/state'

export const getServerSideProps = () => ({ props: { text: 'never shown' } })

export default function Served(props: object) {
  return (
    <main>
      <h1>Served</h1>
      <State props={props} />
    </main>
  )
}
