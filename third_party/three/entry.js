// What the viewer uses of three.js; everything else is left out of the bundle.
export {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight,
  DynamicDrawUsage, ExtrudeGeometry, Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial, LineSegments,
  Matrix4, Mesh, MeshStandardMaterial, NeutralToneMapping, OctahedronGeometry, PerspectiveCamera, PlaneGeometry,
  Quaternion, Raycaster, Scene, ShadowMaterial, Shape, SphereGeometry, TorusGeometry, Vector2, Vector3,
  WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
