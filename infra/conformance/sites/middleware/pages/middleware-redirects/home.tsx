import { State } from '../../components/state'

export default function Home() {
  return (
    <main>
      <h1>Home</h1>
      <State props={{ page: 'home' }} />
    </main>
  )
}
