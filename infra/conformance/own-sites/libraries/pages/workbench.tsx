import type { GetServerSideProps, PageProps } from 'portico'
import { CareDialog } from '../components/care-dialog.tsx'
import { NoteEditor } from '../components/note-editor.tsx'
import { Origin } from '../components/origin.tsx'
import { ProfileForm } from '../components/profile-form.tsx'
import { StepList } from '../components/step-list.tsx'
import { ThemeSwitch } from '../components/theme-switch.tsx'
import { WoodFilter } from '../components/wood-filter.tsx'

export const getServerSideProps = (async ({ query }) => ({
  props: { page: String(query.page ?? '1') },
})) satisfies GetServerSideProps

export default function Workbench({
  page,
}: PageProps<typeof getServerSideProps>) {
  return (
    <main className="dark:bg-black">
      <title>Workbench</title>
      <h1>Workbench</h1>
      <p>The server has page {page}</p>
      <ThemeSwitch />
      <CareDialog />
      <ProfileForm />
      <WoodFilter />
      <Origin />
      <StepList />
      <NoteEditor />
    </main>
  )
}
