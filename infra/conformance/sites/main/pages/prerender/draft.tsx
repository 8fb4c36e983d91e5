import { State } from '../../components/state'

export const getStaticProps = ({ preview, previewData }: { preview?: boolean; previewData?: unknown }) => ({
  props: { preview: preview ?? false, data: previewData ?? null },
})

export default function Draft(props: object) {
  return <State props={props} />
}
