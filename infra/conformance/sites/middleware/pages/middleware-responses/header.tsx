import { State } from '../../components/state'

export default function Header() {
  return (
    <main>
      <h1>Header</h1>
      <State props={{ page: 'header' }} />
    </main>
  )
}
