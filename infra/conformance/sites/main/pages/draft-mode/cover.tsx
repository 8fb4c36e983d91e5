import { Cover } from '../../components/preview'

export default function AlmanacCover() {
  return <Cover to="/draft-mode" />
}
