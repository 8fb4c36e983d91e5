import { Cover } from '../../components/preview'

export default function NovelCover() {
  return <Cover to="/prerender-preview" />
}
