export const getServerSideProps = async () => ({ props: { much: 'm'.repeat(256_000) } })

export default function MuchEachTime({ much }: { much: string }) {
  return <p>{much.length} letters</p>
}
