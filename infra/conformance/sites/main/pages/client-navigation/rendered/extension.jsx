import { Boat } from '../../../components/client-navigation/boat'
import { Boat as Other } from '../../../components/client-navigation/boat.jsx'

export default function Extension() {
  return (
    <main>
      <Boat />
      <Other />
    </main>
  )
}
