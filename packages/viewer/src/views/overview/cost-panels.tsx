// The costliest assets and functions of the overview.
import type { AssetReportEntry, HotFunction, HotFunctions } from '@svc/trace';
import { goTo } from '../../controls/go-to.ts';
import { Share } from '../../controls/share.tsx';
import { formatBytes, formatMs, formatPlural, formatValue } from '../../format/numbers.ts';
import { selection } from '../../state/address.ts';
import { chosenAsset, keyOf } from '../assets/chosen-asset.ts';
import { groupIdOf } from '../stacks/derive/stack-groups.ts';
import { chosenGroup, showSandwich } from '../stacks/stack-state.ts';
import type { OverviewView } from './derive-overview.ts';
import { Panel, Row } from './panel.tsx';

type Props = { readonly overview: OverviewView };

export function Assets({ overview: { assets, asset_totals } }: Props) {
  if (assets.length === 0) return null;
  return (
    <Panel
      title="Costliest assets"
      note={`of ${formatPlural(asset_totals.assets, 'asset')}`}
      leadsTo="assets"
    >
      <ul class="plain">
        {assets.map((asset) => (
          <Row
            key={keyOf(asset)}
            title={`${asset.name}: show it among all assets`}
            choose={() => {
              // The overview is of the whole trace, and so is its row.
              selection.value = null;
              chosenAsset.value = keyOf(asset);
              goTo('assets');
            }}
          >
            <span class="glance-share">
              <Share value={asset.share} />
            </span>
            <span class="glance-main wrap-anywhere">{asset.name}</span>
            <span class="glance-number">{costText(asset)}</span>
          </Row>
        ))}
      </ul>
    </Panel>
  );
}

/** What an asset costs most visibly: hitches, otherwise its time or its memory. */
function costText({
  hitch_ms,
  main_thread_ms,
  gpu_bytes,
  bytes,
  load_ms,
}: AssetReportEntry): string {
  if (hitch_ms > 0) return `${formatMs(hitch_ms)} of hitches`;
  if ((main_thread_ms ?? 0) > 0) return `${formatMs(main_thread_ms)} main thread`;
  if ((gpu_bytes ?? 0) > 0) return `${formatBytes(gpu_bytes)} GPU`;
  if ((bytes ?? 0) > 0) return formatBytes(bytes);
  return load_ms === null ? '' : `${formatMs(load_ms)} loading`;
}

export function Functions({ overview: { functions } }: Props) {
  return (
    <>
      {functions.map((group) => (
        <FunctionsOf
          key={`${group.source} ${group.unit}`}
          group={group}
          named={functions.length > 1}
        />
      ))}
    </>
  );
}

function FunctionsOf({ group, named }: { readonly group: HotFunctions; readonly named: boolean }) {
  const note = `${named ? `${group.source}, ` : ''}by the weight of the function itself`;
  return (
    <Panel title="Hottest functions" note={note} leadsTo="stacks">
      <ul class="plain">
        {group.functions.map((one) => (
          <FunctionRow
            key={`${one.name} ${one.category}`}
            one={one}
            unit={group.unit}
            group={groupIdOf(group.source, group.unit)}
          />
        ))}
      </ul>
    </Panel>
  );
}

type FunctionProps = {
  readonly one: HotFunction;
  readonly unit: string;
  /** The id of the group of stacks. */
  readonly group: string;
};

function FunctionRow({ one, unit, group }: FunctionProps) {
  return (
    <Row
      title={`${one.name}: show its callers and callees`}
      choose={() => {
        selection.value = null;
        chosenGroup.value = group;
        showSandwich(one.name, one.category);
        goTo('stacks');
      }}
    >
      <span class="glance-share">
        <Share value={one.share} />
      </span>
      <span class="glance-main wrap-anywhere">{one.name}</span>
      <span class="glance-number">{formatValue(one.self, unit)}</span>
    </Row>
  );
}
