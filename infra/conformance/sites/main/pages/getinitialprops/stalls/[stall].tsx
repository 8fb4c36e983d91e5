import { State } from '../../../components/state'

export default function Stall() {
  return <State />
}

Stall.getInitialProps = () => ({})
