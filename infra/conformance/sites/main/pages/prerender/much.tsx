export const getStaticProps = () => ({ props: { much: 'm'.repeat(256_000) } })

export default function Much({ much }: { much: string }) {
  return <p>{much.length} letters</p>
}
