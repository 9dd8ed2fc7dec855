// Style sheets are bundled by esbuild: into app.css for the page, as text for notebooks.
declare module "*.css" {
  const text: string;
  export default text;
}
