import { doctorTables } from "../../state/loaded.ts";
import { DocumentView } from "../../ui/document-view.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";

/** What causes the mismatch, with evidence, fixes and the next experiment: `logratio doctor` as a page. */
export function DoctorView() {
  return (
    <div class="doctor">
      <h1 class="visually-hidden">Doctor</h1>
      <WhenLoaded of={doctorTables()}>{(page) => <DocumentView of={page} />}</WhenLoaded>
    </div>
  );
}
