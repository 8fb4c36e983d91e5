import { Photos } from '../../components/rewrites-manual-href-as/photos'

export default function Second() {
  return <Photos />
}
