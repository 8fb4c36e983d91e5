// components/profile-form.tsx
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { toast } from 'sonner'
import { saveProfile } from '../actions/save-profile.ts'
import { profile } from '../lib/profile.ts'
import { Button } from './button.tsx'

const LOST = { issues: [{ path: '', message: 'Not sent. Try it again.' }] }

export function ProfileForm() {
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: zodResolver(profile, undefined, { raw: true }),
    defaultValues: { name: '', age: '' },
  })
  const { errors, isSubmitting } = formState
  const save = handleSubmit(async (values) => {
    const result = await saveProfile(undefined, values).catch(() => LOST)
    if (!result) return // After a redirect.
    if ('saved' in result) toast.success(`Saved: ${result.saved}`)
    else
      for (const { path, message } of result.issues)
        setError((path || 'root') as keyof typeof values, { message })
  })
  return (
    <form onSubmit={save} action={saveProfile}>
      <label>
        Name <input {...register('name')} /> {errors.name?.message}
      </label>
      <label>
        Age <input {...register('age')} /> {errors.age?.message}
      </label>
      <p>{errors.root?.message}</p>
      <Button disabled={isSubmitting}>Save</Button>
    </form>
  )
}
