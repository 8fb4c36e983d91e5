import { Cover } from '../../components/preview'

export default function GazetteCover() {
  return <Cover to="/getserversideprops-preview" />
}
